/**
 * The forwarder as a program of its own, for a network that this one does not reach. Argument: the server as JSON
 * (url, key, secret). Says `ready`, then obeys `away` and `back`, and answers `texts` with what was said. Ends with its parent.
 */
import { openForwarder } from './forwarder.ts';

const forwarder = await openForwarder(JSON.parse(process.argv[2] ?? '{}'));
process.on('message', async (word: 'away' | 'back' | 'texts') => {
	if (word === 'texts') return void process.send?.({ texts: await forwarder.texts() });
	await forwarder.stay(word === 'back');
	process.send?.(word);
});
process.once('disconnect', () => void forwarder.close().finally(() => process.exit()));
process.send?.('ready');
