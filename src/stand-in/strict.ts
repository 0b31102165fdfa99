/**
 * An object that throws on everything it does not have: nothing the stand-in lacks may pass for done.
 */
export function strict<Parts extends object>(name: string, parts: Parts): Parts {
	return new Proxy(parts, {
		get(target, key) {
			// Promises look for `then`; symbols are the language's own business.
			if (typeof key !== 'symbol' && key !== 'then' && !(key in target)) {
				throw new Error(`not in the stand-in: ${name}.${key}`);
			}
			const value: unknown = Reflect.get(target, key, target);
			// Private fields are the target's alone, so its methods must run on it.
			return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
		},
	});
}
