/** The few types of electron-builder that we use; the tool itself is only installed for packaging. */
interface Target {
	createTarget(type: string | null): unknown;
}
export declare const Platform: { readonly LINUX: Target; readonly MAC: Target; readonly WINDOWS: Target };
/** Resolves to the files that were created. */
export declare function build(options: {
	readonly projectDir: string;
	readonly targets: unknown;
	readonly config: Record<string, unknown>;
}): Promise<readonly string[]>;
