"""What Podmeter does, in the words of the domain: called by both edges, knows neither."""
