"""`make scale`: several workers, a hundred clusters, a thousand runs of several organizations."""
