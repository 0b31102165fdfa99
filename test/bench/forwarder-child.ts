/**
 * Runs the forwarder as a separate process, for a network that the parent cannot reach. Argument: the server as JSON (url,
 * key, secret). Sends `ready`, obeys `away` and `back`, and answers `texts` with the texts received. Ends with its parent.
 */
import { openForwarder } from './forwarder.ts';

const forwarder = await openForwarder(JSON.parse(process.argv[2] ?? '{}'));
process.on('message', async (word: 'away' | 'back' | 'texts') => {
	if (word === 'texts') return void process.send?.({ texts: await forwarder.texts() });
	await forwarder.setPresent(word === 'back');
	process.send?.(word);
});
process.once('disconnect', () => void forwarder.close().finally(() => process.exit()));
process.send?.('ready');
