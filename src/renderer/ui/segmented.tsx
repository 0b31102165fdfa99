import { lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import field from './field.module.css';
import hidden from './hidden.module.css';
import { Icon, type IconName } from './icon.tsx';
import fitStyles from './row-or-list.module.css';
import styles from './segmented.module.css';

export interface Segment<Value extends string> {
	readonly value: Value;
	readonly label: string;
	readonly icon?: IconName;
}

export interface SegmentedProps<Value extends string> {
	readonly label: string;
	readonly labelHidden?: boolean;
	readonly options: readonly Segment<Value>[];
	readonly value: Value;
	readonly onChange: (value: Value) => void;
	/** A sentence about the chosen option. */
	readonly hint?: string;
	readonly isDisabled?: boolean;
	/** Keeps the options in one row, however narrow the space is. */
	readonly oneRow?: boolean;
}

/** A few choices side by side. Uses the browser's radio buttons: the library's would enlarge the first paint. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
	const { label, labelHidden, options, value, onChange, hint, isDisabled = false, oneRow } = props;
	const id = useId();
	const bar = useRef<HTMLDivElement>(null);
	useStacks(bar, options.map((option) => option.label).join('\n'));
	return (
		<div
			role="radiogroup"
			className={styles.group}
			aria-disabled={isDisabled || undefined}
			{...(labelHidden ? { 'aria-label': label } : { 'aria-labelledby': id })}
		>
			{!labelHidden && (
				<span id={id} className={field.label}>
					{label}
				</span>
			)}
			<div ref={bar} className={`${styles.bar} ${oneRow ? styles.oneRow : ''}`}>
				{options.map((option) => (
					<label key={option.value} className={styles.option}>
						<input
							type="radio"
							className={hidden.hidden}
							name={id}
							value={option.value}
							checked={option.value === value}
							disabled={isDisabled}
							onChange={() => onChange(option.value)}
						/>
						{option.icon && <Icon name={option.icon} size={16} />}
						<span>{option.label}</span>
					</label>
				))}
			</div>
			{hint && (
				<p className={styles.hint} aria-live="polite">
					{hint}
				</p>
			)}
		</div>
	);
}

/**
 * Options that do not fit in one row become a column: one left over would look like a choice of another kind.
 * Measures when the width or the words change, not with every render.
 */
function useStacks(bar: { readonly current: HTMLElement | null }, labels: string): void {
	useLayoutEffect(() => {
		const at = bar.current;
		if (!at || labels === '') return;
		let width = 0;
		let frame = 0;
		const measure = () => {
			width = at.clientWidth;
			at.removeAttribute('data-stacks');
			const [first, last] = [at.firstElementChild, at.lastElementChild];
			const isOne = first?.getBoundingClientRect().top === last?.getBoundingClientRect().top;
			at.toggleAttribute('data-stacks', !isOne);
		};
		measure();
		// In the next frame: it changes the height of what is observed.
		const observer = new ResizeObserver(() => {
			if (at.clientWidth !== width) frame = requestAnimationFrame(measure);
		});
		observer.observe(at);
		return () => {
			observer.disconnect();
			cancelAnimationFrame(frame);
		};
	}, [bar, labels]);
}

/** The list's code is not needed for the first paint; until it is loaded, a placeholder button is shown. */
const loadSelect = async () => ({ default: (await import('./select.tsx')).Select });
const Select = lazy(loadSelect) as unknown as Awaited<ReturnType<typeof loadSelect>>['default'];

export interface Choice<Value extends string> extends Segment<Value> {
	/** A sentence about the choice, shown in the list. */
	readonly hint: string;
}

export interface RowOrListProps<Value extends string> {
	/** The label is only for assistive technology; sighted users understand the choice from the context. */
	readonly label: string;
	readonly options: readonly Choice<Value>[];
	readonly value: Value;
	readonly onChange: (value: Value) => void;
	/** Always shows the list button, only as wide as its text, even if there is room for the row. */
	readonly folded?: boolean;
}

/** Choices side by side if all fit in one row; otherwise one button that shows the chosen one and opens a list. */
export function RowOrList<Value extends string>({ folded, ...props }: RowOrListProps<Value>) {
	const frame = useRef<HTMLDivElement>(null);
	const ruler = useRef<HTMLDivElement>(null);
	const fits = useFits(frame, ruler);
	return (
		<div ref={frame} className={fitStyles.frame} data-folded={folded}>
			{fits && !folded ? (
				<Segmented {...props} labelHidden />
			) : (
				<Suspense fallback={<StandIn {...props} />}>
					<Select {...props} labelHidden />
				</Suspense>
			)}
			<div className={fitStyles.unseen} aria-hidden="true">
				<div ref={ruler} className={`${styles.bar} ${fitStyles.ruler}`}>
					{props.options.map(({ value, label, icon }) => (
						<span key={value} className={`${styles.option} ${fitStyles.words}`} data-words={label}>
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
		<div className={`${field.selectButton} ${fitStyles.standIn}`} aria-hidden="true">
			{chosen?.icon && <Icon name={chosen.icon} size={20} />}
			<span className={field.selectValue}>{chosen?.label}</span>
			<Icon name="down" size={16} />
		</div>
	);
}

/** Returns whether the ruler fits into the frame, in any language and font. */
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
