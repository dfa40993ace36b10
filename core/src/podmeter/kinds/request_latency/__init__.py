"""The time of single HTTP requests by phase on each path, by curl."""
