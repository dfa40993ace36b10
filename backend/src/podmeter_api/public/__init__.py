"""What a snapshot's link shows to whoever has it."""
