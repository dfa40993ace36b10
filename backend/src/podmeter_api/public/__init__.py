"""What a snapshot's link shows to anyone who has it."""
