"""The playground's page comes in few answers, as it is now and nothing else."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/playground/console/bundle.py tests/playground/console/test_bundle.py
browsers keep the page itself | what an edit changed is seen at the next visit
-_asset("index.html", document.encode(), _ASK_AGAIN)
+_asset("index.html", document.encode(), _FOREVER)
an edited source is not noticed | an edit shows at the next request
-        if stamp != self._stamp:
+        if not self._assets:
modules that import each other are joined nevertheless | a module runs after what it imports
-        if name in above:
+        if not name:
an export in another form is left in the script | a form that is not joined is refused
-        if odd := _LEFT_OVER.search(body):
+        if odd := _LEFT_OVER.match(body, len(body)):
""")
