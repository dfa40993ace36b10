"""What NetworkPolicies cost a request, and how long they take until they are enforced."""
