"""Leading one run through its life: `life` is the whole, each other file a part of it."""
