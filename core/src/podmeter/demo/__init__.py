"""`podmeter-admin demo`: the main job from end to end, by the REST API alone."""
