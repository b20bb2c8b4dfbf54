"""Foundations of every room: validation, executors, resources, progress, kept work, registries."""
