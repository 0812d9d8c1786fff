def pytest_configure(config):
    """A marker of scikit-learn's tests, which test_scikit_learn_suite.py imports."""
    config.addinivalue_line("markers", "thread_unsafe: not to be run in several threads")
