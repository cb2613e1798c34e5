// What lies between a device and the numbers of a recording: the band of the probe, drift of gain and clock, jitter,
// noise. All of it comes of a seed.
#ifndef VEER_DEVICE_ANALOGUE_H
#define VEER_DEVICE_ANALOGUE_H

#include <stddef.h>
#include <stdint.h>

struct analogue {
	uint64_t seed;
	double band;   // corner of the low-pass, as a fraction of the sampling rate; 0: none
	double snr;    // power of the signal's changes to that of the noise, in dB
	double gain;   // largest change of gain, as a fraction
	double offset; // the device's clock is that fraction faster than it should be
	double drift;  // and changes by at most that fraction
	double jitter; // standard deviation of a sample's time, in samples
};

// Returns *ret_n samples, which the caller frees. `times`, ascending, are numbers of samples of `clean`; they become
// those of the result.
float *analogue_apply(const struct analogue *a, const float *clean, size_t n, uint64_t *times, size_t n_times,
                      size_t *ret_n);

#endif
