"""`podmeter-admin articles`: every experiment of the five articles, beside what they published."""
