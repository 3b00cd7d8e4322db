"""The page How it works."""
