package tools

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestPod reads deploy/pod.yaml as the API does, which refuses fields that it does not know, and looks at the settings
// that sandboxes need. Package local runs a worker under them.
func TestPod(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "deploy", "pod.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(data, &pod); err != nil {
		t.Fatal(err)
	}
	const account = 10001
	yes, no, uid := true, false, int64(account)
	profile, unmasked := "profiles/sandboxguard.json", corev1.UnmaskedProcMount
	if diff := cmp.Diff(&no, pod.Spec.HostUsers); diff != "" {
		t.Errorf("hostUsers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&corev1.PodSecurityContext{
		RunAsNonRoot: &yes, RunAsUser: &uid, RunAsGroup: &uid, FSGroup: &uid,
		SeccompProfile:  &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &profile},
		AppArmorProfile: &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined},
	}, pod.Spec.SecurityContext); diff != "" {
		t.Errorf("the pod's security context (-want +got):\n%s", diff)
	}
	for _, c := range pod.Spec.Containers {
		if diff := cmp.Diff(&corev1.SecurityContext{
			AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			ProcMount: &unmasked, ReadOnlyRootFilesystem: &yes,
		}, c.SecurityContext); diff != "" {
			t.Errorf("the security context of %s (-want +got):\n%s", c.Name, diff)
		}
		for _, what := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
			if limit := c.Resources.Limits[what]; limit.IsZero() || limit.Cmp(c.Resources.Requests[what]) < 0 {
				t.Errorf("%s: the limit of %s is %s, below what is requested", c.Name, what, limit.String())
			}
		}
	}
}
