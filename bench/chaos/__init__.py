"""`make chaos`: everything is killed at random while runs switch modes; then all is looked at."""
