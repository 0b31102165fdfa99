/** Where sessions are made, and with which key. */
export interface SessionPlace {
	readonly api: string;
	readonly key: string;
}

/** A session of its own for a page that cannot make one: what the page calls to join it, and its end. */
export async function sessionForPage({
	api,
	key,
}: SessionPlace): Promise<{ readonly begin: string; end(): Promise<void> }> {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const answer = await fetch(`${api}/session-storage/session`, {
		method: 'POST',
		headers,
		body: JSON.stringify({ data: { subscriber_count: 0, intent: 'api' } }),
	});
	const { data } = (await answer.json()) as {
		data: { id: string; webrtc_url: string; publisher: string };
	};
	return {
		begin: `window.begin(${JSON.stringify(data.webrtc_url)}, ${JSON.stringify(data.publisher)})`,
		async end() {
			await fetch(`${api}/session-storage/sessions/${data.id}`, { method: 'DELETE', headers });
		},
	};
}
