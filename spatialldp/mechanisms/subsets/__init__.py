"""What SEM-Geo-I needs of sets of cells: drawing them, their probabilities, recovery from inclusion counts."""
