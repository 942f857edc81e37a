"""From a measured motion to a model: identification, and the motions that make it accurate."""
