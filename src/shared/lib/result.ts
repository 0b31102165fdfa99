/** Expected failures are values; `throw` is only for bugs of our own. */
export type Result<Value, Failure> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly error: Failure };

export function ok(): Result<void, never>;
export function ok<Value>(value: Value): Result<Value, never>;
export function ok<Value>(value?: Value): Result<Value | undefined, never> {
	return { ok: true, value };
}

export function err<Failure>(error: Failure): Result<never, Failure> {
	return { ok: false, error };
}

/** The `default` of an exhaustive switch: does not compile while a case is missing. */
export function unreachable(value: never): never {
	throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
