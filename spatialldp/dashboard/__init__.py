"""The web app's own code: the only part of the package that knows Streamlit."""
