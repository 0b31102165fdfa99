// Plain JavaScript on purpose: an older Node must be able to read it and say what is missing.
// On Linux x64 npm brings Node 24 by itself; elsewhere it must be installed.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
	process.stderr.write(
		`Dragoman needs Node 24 or later; this is ${process.versions.node}. Install it from https://nodejs.org, or on Linux x64 run npm ci again, which brings it.\n`,
	);
	process.exit(1);
}
