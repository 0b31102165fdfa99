// `node --import ./scripts/prepare-node.mjs …`: before any program of ours.
// Plain JavaScript on purpose: an older Node must be able to read it and say what is missing.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// On Linux x64 npm installs Node 24 as a package; elsewhere it must be installed by hand.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
	process.stderr.write(
		`Dragoman needs Node 24 or later; this is ${process.versions.node}. Install it from https://nodejs.org, or on Linux x64 run npm ci again, which brings it.\n`,
	);
	process.exit(1);
}
// Compiled code is kept, so that each later start takes half the time; by the variable, what it starts keeps its own as well.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
