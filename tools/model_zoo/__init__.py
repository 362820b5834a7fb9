"""Small models as people export them, to test the importer of ONNX models against: see tools/export_models.py."""
