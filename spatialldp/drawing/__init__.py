"""Pictures of maps and curves, made in Python: the app, its downloads and the printable report share them."""
