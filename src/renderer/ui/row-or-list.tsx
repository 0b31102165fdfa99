import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import field from './field.module.css';
import { Icon } from './icon.tsx';
import styles from './row-or-list.module.css';
import segmented from './segmented.module.css';
import { type Segment, Segmented } from './segmented.tsx';

/** The list's code is not needed for the first paint; until it is loaded its button stands in for it. */
const loadSelect = async () => ({ default: (await import('./select.tsx')).Select });
const Select = lazy(loadSelect) as unknown as Awaited<ReturnType<typeof loadSelect>>['default'];

export interface Choice<Value extends string> extends Segment<Value> {
	/** A sentence about it, in the list. */
	readonly hint: string;
}

export interface RowOrListProps<Value extends string> {
	/** For assistive technology; sighted users see it from the context. */
	readonly label: string;
	readonly options: readonly Choice<Value>[];
	readonly value: Value;
	readonly onChange: (value: Value) => void;
	/** Always a list, as small as its words, even if there is room for the row. */
	readonly folded?: boolean;
}

/** Choices side by side if all fit in one row; otherwise one button that shows the chosen one and opens a list. */
export function RowOrList<Value extends string>({ folded, ...props }: RowOrListProps<Value>) {
	const frame = useRef<HTMLDivElement>(null);
	const ruler = useRef<HTMLDivElement>(null);
	const fits = useFits(frame, ruler);
	return (
		<div ref={frame} className={styles.frame} data-folded={folded}>
			{fits && !folded ? (
				<Segmented {...props} labelHidden />
			) : (
				<Suspense fallback={<StandIn {...props} />}>
					<Select {...props} labelHidden />
				</Suspense>
			)}
			<div className={styles.unseen} aria-hidden="true">
				<div ref={ruler} className={`${segmented.bar} ${styles.ruler}`}>
					{props.options.map(({ value, label, icon }) => (
						<span key={value} className={`${segmented.option} ${styles.words}`} data-words={label}>
							{icon && <Icon name={icon} size={16} />}
						</span>
					))}
				</div>
			</div>
		</div>
	);
}

function StandIn<Value extends string>({ options, value }: RowOrListProps<Value>) {
	const chosen = options.find((one) => one.value === value);
	return (
		<div className={field.selectButton} aria-hidden="true">
			{chosen?.icon && <Icon name={chosen.icon} size={20} />}
			<span className={field.selectValue}>{chosen?.label}</span>
		</div>
	);
}

/** Whether the ruler is no wider than the frame, in any language and font. */
function useFits(
	frame: { readonly current: HTMLElement | null },
	ruler: { readonly current: HTMLElement | null },
): boolean {
	const [fits, setFits] = useState(true);
	useLayoutEffect(() => {
		const [outer, inner] = [frame.current, ruler.current];
		if (!outer || !inner) return;
		const measure = () => setFits(inner.offsetWidth <= outer.clientWidth);
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(outer);
		observer.observe(inner);
		return () => observer.disconnect();
	}, [frame, ruler]);
	return fits;
}
