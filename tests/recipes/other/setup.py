from setuptools import setup
setup(name="x", packages=["x"], install_requires=["unsloth", "trl"])
