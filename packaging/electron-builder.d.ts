/** The little of electron-builder that is used; the tool itself is installed only to pack. */
interface Target {
	createTarget(type: string | null): unknown;
}
export declare const Platform: { readonly LINUX: Target; readonly MAC: Target; readonly WINDOWS: Target };
/** Resolves to the files that were made. */
export declare function build(options: {
	readonly projectDir: string;
	readonly targets: unknown;
	readonly config: Record<string, unknown>;
}): Promise<readonly string[]>;
