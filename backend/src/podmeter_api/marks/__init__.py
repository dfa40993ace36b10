"""What people say of runs, experiments and clusters."""
