"""The command line: `spatialldp COMMAND …`, or `python -m spatialldp COMMAND …`; `main` puts the commands together."""
