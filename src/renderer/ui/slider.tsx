import { Slider as AriaSlider, Label, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components';
import field from './field.module.css';
import styles from './slider.module.css';

export interface SliderProps {
	readonly label: string;
	readonly value: number;
	readonly min: number;
	readonly max: number;
	readonly step: number;
	readonly format?: Intl.NumberFormatOptions;
	readonly onChange: (value: number) => void;
	/** Called when the user releases the thumb at this value. */
	readonly onDone?: (value: number) => void;
	readonly isDisabled?: boolean;
}

export function Slider(props: SliderProps) {
	const { label, value, min, max, step, format, onChange, onDone, isDisabled = false } = props;
	return (
		<AriaSlider
			className={styles.slider ?? ''}
			value={value}
			minValue={min}
			maxValue={max}
			step={step}
			onChange={onChange}
			{...(onDone ? { onChangeEnd: onDone } : {})}
			isDisabled={isDisabled}
			{...(format ? { formatOptions: format } : {})}
		>
			<Label className={`${field.label} ${styles.label}`}>{label}</Label>
			<SliderOutput className={styles.output ?? ''} />
			<SliderTrack className={styles.track ?? ''}>
				{({ state }) => (
					<>
						<div className={styles.rail}>
							<div className={styles.fill} style={{ inlineSize: `${state.getThumbPercent(0) * 100}%` }} />
						</div>
						<SliderThumb className={styles.thumb ?? ''} />
					</>
				)}
			</SliderTrack>
		</AriaSlider>
	);
}
