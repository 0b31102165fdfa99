import { expect, test } from 'vitest';
import { isPublicService } from './service-address.ts';

test.each([
	['', true],
	['https://palabra.ai', true],
	['https://api.palabra.ai', true],
	['https://api.palabra.ai:443/v1?x#y', true],
	['https://a.b.palabra.ai/', true],
	['http://api.palabra.ai', false],
	['https://palabra.ai.example', false],
	['https://notpalabra.ai', false],
	['https://example/palabra.ai', false],
	['https://example?.palabra.ai', false],
	['https://example#.palabra.ai', false],
	['https://user@api.palabra.ai', false],
	['https://user:word@api.palabra.ai', false],
	['https://localhost:8080', false],
	['https://', false],
	['see https://palabra.ai', false],
	['palabra.ai', false],
])('that %j is the public service is %s', (url, is) => {
	expect(isPublicService(url)).toBe(is);
});
