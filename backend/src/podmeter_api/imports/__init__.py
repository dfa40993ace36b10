"""What others measured, pasted."""
