"""Storage: typed models, repositories (the only place with queries), sessions, migrations."""
