import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

const reversed = (text: string) => [...text].reverse().join('');

/** The base64 characters that encode only bytes of the secret, for each position it can have in the encoded text. */
function inBase64(bytes: Buffer): readonly string[] {
	// What precedes it shifts base64 by none, one or two bytes; the characters at the ends depend on the neighbours.
	return [0, 1, 2].map((shift) =>
		Buffer.concat([Buffer.alloc(shift), bytes])
			.toString('base64')
			.replace(/=+$/, '')
			.slice(4, -4),
	);
}

/**
 * The ways in which a secret could be written down: as it is, in an address, in JSON, in HTML, as hexadecimal digits,
 * inside base64 of either alphabet, backwards, in UTF-16 of either byte order, and that in base64.
 */
export function formsOf(secret: string): readonly Buffer[] {
	const bytes = Buffer.from(secret);
	const wide = Buffer.from(secret, 'utf16le');
	const base64 = [...inBase64(bytes), ...inBase64(wide)];
	const inAddress = encodeURIComponent(secret);
	const texts = [
		...[secret, reversed(secret), inAddress, inAddress.toLowerCase(), encodeURIComponent(inAddress)],
		...[JSON.stringify(secret).slice(1, -1), secret.replaceAll('/', '\\/')],
		...[bytes.toString('hex'), bytes.toString('hex').toUpperCase(), reversed(bytes.toString('hex'))],
		...[secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;')],
		...base64,
		...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
	];
	const forms = [...new Set(texts)].map((text) => Buffer.from(text));
	return [...forms, wide, Buffer.from(wide).swap16()];
}

export function holds(content: Buffer | string, secret: string): boolean {
	const bytes = Buffer.from(content);
	return formsOf(secret).some((form) => bytes.includes(form));
}

/** Files below these folders that hold the secret in any form, in their content or their name. */
export function filesHolding(folders: readonly string[], secret: string): readonly string[] {
	return folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.map((name) => join(folder, name))
			.filter((path) => holds(path, secret) || isHeld(path, secret)),
	);
}

function isHeld(path: string, secret: string): boolean {
	try {
		return statSync(path).isFile() && holds(readFileSync(path), secret);
	} catch {
		// Gone meanwhile, or a socket of the browser.
		return false;
	}
}

/** A program of the tree as it was seen. */
export interface Seen {
	readonly pid: number;
	/** Name of the program's file. */
	readonly program: string;
	readonly commandLine: string;
	/** The title that `ps` shows, which a program may change. */
	readonly title: string;
	readonly environment: string;
}

/** Looks at a program and everything it starts, again and again, until told to stop; Linux only. */
export function watchTree(root: number, periodMs = 150): { stop(): readonly Seen[] } {
	const seen = new Map<string, Seen>();
	const look = () => {
		for (const one of treeOf(root))
			seen.set(`${one.pid} ${one.program} ${one.commandLine} ${one.title}`, one);
	};
	const timer = setInterval(look, periodMs);
	look();
	return {
		stop() {
			look();
			clearInterval(timer);
			return [...seen.values()];
		},
	};
}

/** A program and everything it has started, now; Linux only. */
export function treeOf(root: number): readonly Seen[] {
	const parents = new Map<number, number>();
	for (const name of readdirSync('/proc')) {
		if (!/^\d+$/.test(name)) continue;
		const parent = /\) \S (\d+)/.exec(read(name, 'stat'))?.[1];
		if (parent) parents.set(Number(name), Number(parent));
	}
	const isBelow = (pid: number | undefined): boolean =>
		pid !== undefined && (pid === root || isBelow(parents.get(pid)));
	const seen = [...parents.keys()].filter(isBelow).map(lookAt);
	// After fork and before exec, a process still looks exactly like its parent.
	const whatIs = ({ program, commandLine, environment }: Seen) => `${program} ${commandLine} ${environment}`;
	const known = new Map(seen.map((one) => [one.pid, whatIs(one)]));
	return seen.filter((one) => known.get(parents.get(one.pid) ?? 0) !== whatIs(one));
}

/** One process, read consistently: during exec a file of `/proc` is empty or already that of the new program. */
function lookAt(pid: number): Seen {
	const commandLine = read(pid, 'cmdline');
	const seen = { pid, program: programOf(pid), title: read(pid, 'comm'), environment: read(pid, 'environ') };
	return read(pid, 'cmdline') === commandLine ? { ...seen, commandLine } : lookAt(pid);
}

function read(pid: number | string, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}

function programOf(pid: number): string {
	try {
		return readlinkSync(`/proc/${pid}/exe`).split('/').at(-1) ?? '';
	} catch {
		return '';
	}
}
