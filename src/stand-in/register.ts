import { registerHooks } from 'node:module';

const standIn = new URL('./electron.ts', import.meta.url).href;

/** From here on `import 'electron'` means the stand-in; the built main is not changed. */
registerHooks({
	resolve(specifier, context, next) {
		return specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context);
	},
});
