// Plain JavaScript on purpose: an older Node must be able to read it and say what is missing.
// On Linux x64 npm installs Node 24 as a package; elsewhere it must be installed by hand.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
	process.stderr.write(
		`Dragoman needs Node 24 or later; this is ${process.versions.node}. Install it from https://nodejs.org, or on Linux x64 run npm ci again, which brings it.\n`,
	);
	process.exit(1);
}
