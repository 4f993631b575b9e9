# Lets an environment of outside/ see our packages too, after its own:  sh ours.sh FOLDER
# An added site folder counts with what is installed there in editable form.
ours=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
theirs=$("$1/.venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "import site; site.addsitedir('$ours')" > "$theirs/ours.pth"
