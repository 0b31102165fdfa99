/** A file of the package: its path with `/`, and its text if it is worth checking. */
export interface PackedFile {
	readonly path: string;
	readonly size: number;
	/** Text of scripts, pages and data; null for pictures, fonts and audio. */
	readonly text: string | null;
}

/** Files worth checking: they may contain a path, a key or a reference. */
export const isText = (path: string) => /\.(js|cjs|html|css|json|txt|md|svg)$/.test(path);

/** Everything that may be in the app's folder; any other file is an error. */
const MAY_BE: readonly RegExp[] = [
	/^package\.json$/,
	/^LICENSE$/,
	/^THIRD-PARTY-NOTICES\.txt$/,
	/^out\/main\/(index|sandbox|ear-worker|mouth-worker|portal-bus)\.js$/,
	/^out\/main\/chunks\/[\w.-]+\.js$/,
	/^out\/preload\/[\w.-]+\.cjs$/,
	/^out\/renderer\/([\w-]+\/)?[\w-]+\.html$/,
	/^out\/renderer\/assets\/[\w.-]+\.(js|css|woff2?|wav|ogg|svg|png)$/,
	/^resources\/[\w./-]+\.(png|svg|wav|ogg|json|md)$/,
];

/** Files without which the program cannot run. */
const MUST_BE = [
	'package.json',
	'LICENSE',
	'THIRD-PARTY-NOTICES.txt',
	'out/main/index.js',
	'out/main/sandbox.js',
	'out/main/ear-worker.js',
	'out/main/mouth-worker.js',
	'out/main/portal-bus.js',
	'out/preload/index.cjs',
	'out/renderer/index.html',
];

/** Patterns that no shipped text may contain, with the reason. */
const NEVER: readonly { readonly what: string; readonly pattern: RegExp }[] = [
	{ what: 'a reference to a source map', pattern: /\/\/[#@] ?sourceMappingURL=/ },
	{ what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
	{
		what: 'a path of the machine it was built on',
		pattern: /["'`](?:\/home\/|\/root\/|\/Users\/|[A-Z]:\\\\Users\\\\)\w/,
	},
	{ what: 'a token', pattern: /["'`]eyJ[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}["'`]/ },
];

/** The faults of a package, as sentences; empty = none. `secrets`: values that must not be in it. */
export function problemsOf(files: readonly PackedFile[], secrets: readonly string[] = []): string[] {
	const paths = new Set(files.map(({ path }) => path));
	const problems = MUST_BE.filter((path) => !paths.has(path)).map((path) => `${path} is missing`);
	for (const file of files) {
		if (!MAY_BE.some((pattern) => pattern.test(file.path)))
			problems.push(`${file.path} does not belong there`);
		problems.push(...textProblems(file, secrets));
	}
	const manifest = files.find(({ path }) => path === 'package.json')?.text;
	if (manifest) problems.push(...manifestProblems(manifest));
	return problems;
}

/** The contents of a file that must not be shipped. */
export function textProblems({ path, text }: PackedFile, secrets: readonly string[] = []): string[] {
	if (text === null) return [];
	const problems = NEVER.filter(({ pattern }) => pattern.test(text)).map(
		({ what }) => `${path} holds ${what}`,
	);
	if (secrets.some((secret) => secret.length >= 8 && text.includes(secret)))
		problems.push(`${path} holds a secret of the environment`);
	return problems;
}

function manifestProblems(text: string): readonly string[] {
	const manifest = JSON.parse(text) as Record<string, unknown>;
	return ['dependencies', 'devDependencies', 'optionalDependencies', 'scripts']
		.filter((name) => Object.keys((manifest[name] ?? {}) as object).length > 0)
		.map((name) => `package.json has ${name}: everything is bundled`);
}
