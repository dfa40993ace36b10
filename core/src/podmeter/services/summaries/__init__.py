"""What a run measured and what it found, case by case."""
