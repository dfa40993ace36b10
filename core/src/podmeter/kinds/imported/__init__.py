"""What others measured and somebody pasted: a kind that is read and compared, never run."""
