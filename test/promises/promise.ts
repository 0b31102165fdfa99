/** One mistake that would break a promise, and the test that must fail with it (`scripts/promises.ts` puts it in and looks). */
export interface Promised {
	/** As the README or docs/security.md says it. */
	readonly promise: string;
	readonly file: string;
	/** Stands in the file once. */
	readonly from: string;
	readonly to: string;
	/** A test of plain Node. */
	readonly test: string;
	/** A part of the whole name of the test that fails. */
	readonly name: string;
}
