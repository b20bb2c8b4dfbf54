"""The published experiments, run by name with the public interface only."""
