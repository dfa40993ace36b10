"""Looking for words in everything."""
