/** As much of a schema as is needed to make a value that fits it. */
interface Definition {
	readonly type: string;
	readonly shape?: Readonly<Record<string, Schema>>;
	readonly element?: Schema;
	readonly innerType?: Schema;
	readonly valueType?: Schema;
	readonly options?: readonly Schema[];
	readonly items?: readonly Schema[];
	readonly entries?: Readonly<Record<string, string>>;
	readonly values?: readonly unknown[];
	readonly in?: Schema;
	readonly getter?: () => Schema;
	readonly checks?: readonly { readonly _zod: { readonly def: Readonly<Record<string, unknown>> } }[];
}
interface Schema {
	readonly _zod: { readonly def: unknown };
}

/**
 * Values that a zod schema accepts, built from its parts: one for each alternative of a union, otherwise one. Not
 * every constraint is respected (patterns are not), so a few of them may still be refused.
 */
export function examplesOf(schema: Schema): readonly unknown[] {
	const def = schema._zod.def as Definition;
	if (def.type === 'union') return (def.options ?? []).flatMap(examplesOf);
	if (def.type === 'nullable' || def.type === 'optional') {
		const empty = def.type === 'nullable' ? null : undefined;
		return [...(def.innerType ? examplesOf(def.innerType).slice(0, 2) : []), empty];
	}
	return [exampleOf(def)];
}

const first = (schema: Schema | undefined): unknown => (schema ? examplesOf(schema)[0] : null);

function exampleOf(def: Definition): unknown {
	switch (def.type) {
		case 'object': {
			const fields = Object.entries(def.shape ?? {}).map(([name, field]) => [name, first(field)] as const);
			return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
		}
		case 'array':
			return [first(def.element), first(def.element)];
		case 'tuple':
			return (def.items ?? []).map(first);
		case 'record':
			return { es: first(def.valueType) };
		case 'string':
			return 'x'.repeat(limitOf(def, 'minimum') || 3);
		case 'number':
			return limitOf(def, 'value') || 1;
		case 'boolean':
			return true;
		case 'literal':
			return def.values?.[0];
		case 'enum':
			return Object.values(def.entries ?? {})[0];
		case 'default':
		case 'catch':
		case 'readonly':
			return first(def.innerType);
		case 'lazy':
			return first(def.getter?.());
		case 'pipe':
			return first(def.in);
		default:
			return undefined;
	}
}

function limitOf(def: Definition, name: string): number {
	const found = (def.checks ?? [])
		.map(({ _zod }) => _zod.def[name])
		.find((limit) => typeof limit === 'number');
	return typeof found === 'number' ? found : 0;
}
