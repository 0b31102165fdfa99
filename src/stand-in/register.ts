import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { programFile } from '#main/lib/own-program.ts';

const standIn = pathToFileURL(programFile('src/stand-in/electron.ts', 'stand-in')).href;

/** From here on `import 'electron'` means the stand-in; the built main is not changed. */
registerHooks({
	resolve(specifier, context, next) {
		return specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context);
	},
});
