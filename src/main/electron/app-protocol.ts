import { readFile } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { protocol, type Session } from 'electron';
import { answerWithRecording } from '#main/recording/recorded-sound.ts';

const types: Readonly<Record<string, string>> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.json': 'application/json; charset=utf-8',
	'.svg': 'image/svg+xml',
	'.png': 'image/png',
	'.woff2': 'font/woff2',
	'.wav': 'audio/wav',
	'.mp3': 'audio/mpeg',
	'.ogg': 'audio/ogg',
	'.wasm': 'application/wasm',
};

/** Must run before the app is ready. */
export function registerAppScheme(): void {
	protocol.registerSchemesAsPrivileged([
		{
			scheme: 'app',
			privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true },
		},
	]);
}

/** The file below `root` that an address names; null for another host, or a path that leads out of `root`. */
export function fileOf(root: string, address: string): string | null {
	const url = URL.parse(address);
	if (url?.protocol !== 'app:' || url.host !== 'dragoman') return null;
	let path: string;
	try {
		path = decodeURIComponent(url.pathname);
	} catch {
		return null;
	}
	if (path.includes('\0') || path.includes('\\')) return null;
	const file = resolve(join(root, path === '/' ? 'index.html' : path));
	return file.startsWith(resolve(root) + sep) ? file : null;
}

/** The conversation and the key of a recording that an address of the history names (`history.recordings`). */
function recordingOf(address: string): readonly [id: string, key: string] | null {
	const url = URL.parse(address);
	if (url?.protocol !== 'app:' || url.host !== 'dragoman') return null;
	const [, id, key] = /^\/recordings\/([^/]+)\/([^/]+)$/.exec(url.pathname) ?? [];
	if (!id || !key) return null;
	try {
		return [decodeURIComponent(id), decodeURIComponent(key)];
	} catch {
		return null;
	}
}

interface AppHandlerParts {
	/** Folder of the built window. */
	readonly root: string;
	/** Takes the page as it is served; an empty text for anything that is not a page. */
	readonly policy: (page: string) => string;
	/** Transforms each page. Default: leaves it unchanged. */
	readonly dress?: (html: string) => string;
	/** The file of a recording; null = there is no such recording. */
	readonly recordingAt: (id: string, key: string) => string | null;
}

/** Answers `app://dragoman/…`: the built window and recordings, all with the security headers. */
export function createAppHandler({
	root,
	policy,
	dress = (html) => html,
	recordingAt,
}: AppHandlerParts): (request: Request) => Promise<Response> {
	function headers(type: string, page = ''): Record<string, string> {
		return {
			'content-type': type,
			'content-security-policy': policy(page),
			'cross-origin-opener-policy': 'same-origin',
			'cross-origin-embedder-policy': 'require-corp',
			'cross-origin-resource-policy': 'same-origin',
			'x-content-type-options': 'nosniff',
			'referrer-policy': 'no-referrer',
			'cache-control': 'no-cache',
		};
	}

	return async (request) => {
		const plain = headers('text/plain; charset=utf-8');
		if (request.method !== 'GET' && request.method !== 'HEAD') {
			return new Response('method not allowed', { status: 405, headers: plain });
		}
		const recording = recordingOf(request.url);
		const path = recording && recordingAt(...recording);
		if (path !== null) {
			const sound = await answerWithRecording(path, request, headers('audio/wav'));
			return sound ?? new Response('not found', { status: 404, headers: plain });
		}
		const file = fileOf(root, request.url);
		const type = file ? types[extname(file)] : undefined;
		if (!file || !type) return new Response('not found', { status: 404, headers: plain });
		try {
			const body = await readFile(file);
			if (extname(file) !== '.html') return new Response(body, { headers: headers(type) });
			const page = dress(body.toString());
			return new Response(page, { headers: headers(type, page) });
		} catch {
			return new Response('not found', { status: 404, headers: plain });
		}
	};
}

/** Starts answering requests; returns the handler. */
export function serveApp(session: Session, parts: AppHandlerParts): (request: Request) => Promise<Response> {
	const answer = createAppHandler(parts);
	session.protocol.handle('app', answer);
	return answer;
}
