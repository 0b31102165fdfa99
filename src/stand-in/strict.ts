/** An object that throws on access to anything it does not have: a missing feature must not seem to work. */
export function strict<Parts extends object>(name: string, parts: Parts): Parts {
	return new Proxy(parts, {
		get(target, key) {
			// Promises look for `then`, and the language itself for symbols.
			if (typeof key !== 'symbol' && key !== 'then' && !(key in target)) {
				throw new Error(`not in the stand-in: ${name}.${key}`);
			}
			const value: unknown = Reflect.get(target, key, target);
			// Private fields belong to the target alone, so its methods must run on it.
			return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
		},
	});
}
