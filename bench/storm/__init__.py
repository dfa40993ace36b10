"""Twenty hostile API servers beside one honest cluster: what does the honest one feel of them?"""
