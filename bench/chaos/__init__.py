"""`make chaos`: kills processes at random while runs switch modes, then checks everything."""
