"""What every room stands on: validation, executors, resources, progress, kept work, registries."""
